"""The only importer of pyspark: the session, and the two ways to run a program."""
