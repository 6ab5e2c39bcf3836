"""What a variant's computations cost: instructions counted on this build, run times in the kernel."""
