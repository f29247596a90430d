"""The only importer of pyspark: the session, and the two ways to run a program."""

import logging

# It logs with a traceback what a stream then ends with, which is said in one line.
logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)
