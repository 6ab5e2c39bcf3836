"""Papers as data: experiments, settings, and claims that can be judged on the runs of a sweep."""
