"""Every error that Citewell raises on purpose, and the exit code it leads to.

    CitewellError                 1  something failed; nothing was lost
    ├── UsageError                2  wrong usage, an empty question
    │   └── UnknownPaper          2  no paper has that id
    ├── MissingError              3  something needed is missing or is another one
    │   ├── ModelMissing          3  a model file is not there
    │   ├── ModelDamaged          3  a model file is not what it should be
    │   ├── ModelUnfit            3  the model cannot do what is asked of it
    │   ├── LibraryMissing        3  there is no library in that folder
    │   └── EmbedderMismatch      3  the library was made with another embedder
    ├── LibraryDamaged            1  the record or the store cannot be read
    ├── LibraryBusy               1  another process is writing to the library
    ├── LibraryGone               1  its folder was taken away while it was open
    ├── LibraryReadOnly           1  its folder may be read and not written
    ├── DiskFull                  1  there is no room left to write
    ├── StoreUnreachable          1  the Chroma server does not answer
    ├── DownloadFailed            1  no source gave the file
    ├── ServerFailed              1  the model server did not answer as it should
    ├── PortInUse                 1  the address is taken
    ├── PromptError               1  a prompt file lacks a name or has one too many
    └── Stopped                   1  the user asked to stop; what was shown stays

Each message says what to do next.
"""

from __future__ import annotations


class CitewellError(Exception):
    """The root. The message is for the user, and says what to do."""

    exit_code = 1


class UsageError(CitewellError):
    """The command or the question cannot be understood as given."""

    exit_code = 2


class UnknownPaper(UsageError):
    """No paper of the library has that id."""


class MissingError(CitewellError):
    """Something that is needed is missing, or is another one than expected."""

    exit_code = 3


class ModelMissing(MissingError):
    """A model file is not there."""


class ModelDamaged(MissingError):
    """A model file is truncated, a pointer, or has the wrong checksum."""


class ModelUnfit(MissingError):
    """The model loads but cannot be used, such as one without a chat template."""


class LibraryMissing(MissingError):
    """There is no library in that folder, or it is empty."""


class EmbedderMismatch(MissingError):
    """The vectors were made by another embedder than the one asked for."""


class LibraryDamaged(CitewellError):
    """The record or an index cannot be read."""


class LibraryBusy(CitewellError):
    """Another process is writing to the library."""


class LibraryGone(CitewellError):
    """The folder of an open library was moved or deleted."""


class LibraryReadOnly(CitewellError):
    """The folder of the library may be read and not written."""


class DiskFull(CitewellError):
    """There is no room left to write."""


class StoreUnreachable(CitewellError):
    """The Chroma server does not answer."""


class DownloadFailed(CitewellError):
    """No source gave the file with the right checksum."""


class ServerFailed(CitewellError):
    """The model server did not answer as it should."""


class PortInUse(CitewellError):
    """Another program listens on the address."""


class PromptError(CitewellError):
    """A prompt file lacks a named placeholder, or has one that is not known."""


class Stopped(CitewellError):
    """The user asked to stop, during the prompt or the answer."""
