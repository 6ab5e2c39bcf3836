"""Linux in virtual time: a kernel as a program (User Mode Linux) whose clock is that of the simulation."""
