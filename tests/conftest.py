"""What holds for every test."""

import signal

from hypothesis import settings

# A shell that starts the suite in the background has its children ignore SIGINT, and processes that tests start would
# inherit that: then no Ctrl-C test could pass. With a handler of our own, children begin with the default again.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no mistake of the code: how long an example takes is measured in benchmarks/, not here.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
