"""Papers as data: experiments, settings, and claims as statements that a sweep can judge."""
