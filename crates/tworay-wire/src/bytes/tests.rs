mod garbage;
mod known;
mod round_trip;
mod samples;
