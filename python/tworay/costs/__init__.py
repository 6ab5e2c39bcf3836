"""Computing costs of variants: instructions counted on this build, and run times in the kernel."""
