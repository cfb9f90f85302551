"""Mail: mbox, Maildir and single messages, with their threads and attachments."""

from graphmemix.ingest.mail.importer import Mail

__all__ = ["Mail"]
