"""Today's radios against ns-3 and closed forms: the chapters ``air-…`` of ``make peers``."""
