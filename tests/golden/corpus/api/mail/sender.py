"""Send mail, and try again when the server is busy."""

import random
import time


class MailSender:
    """Hands messages to a mail server."""

    def __init__(self, transport, attempts=5, sleep=time.sleep):
        self._transport = transport
        self._attempts = attempts
        self._sleep = sleep

    def send(self, message):
        """Deliver a message; retry with exponential backoff and jitter, then give up."""
        for attempt in range(self._attempts):
            try:
                return self._transport.deliver(message)
            except ConnectionError:
                if attempt == self._attempts - 1:
                    raise
                self._sleep(2**attempt * random.uniform(0.5, 1.5))
        return None
