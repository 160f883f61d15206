"""What `run` consists of: the steps, how they are run, what the machine is, and the report."""
