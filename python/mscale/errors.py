"""What goes wrong, as exceptions.  While a training runs, trouble with its snapshots is a warning and never one of these."""


class MscaleError(Exception):
    """The base of them all."""


class ContractError(MscaleError):
    """The contract has faults, or the job doesn't hold what the program needs."""


class RecoveryError(MscaleError):
    """The program must not start: a snapshot was expected and none is usable, or the site says no."""


class ReadError(MscaleError):
    """A file can't be read as it was asked."""


class StateError(MscaleError, TypeError):
    """Something in a registered state that isn't data, or that doesn't fit what was saved."""
