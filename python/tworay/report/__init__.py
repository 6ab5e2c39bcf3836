"""Pages for the browser: ``report.html`` of a result directory, one file that needs no network."""
