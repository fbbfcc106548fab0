import pytest

from api.security.tokens import BadToken, TokenSigner


def test_a_signed_token_gives_its_claims_back():
    signer = TokenSigner(b"secret", clock=lambda: 100.0)
    assert signer.check(signer.issue({"account": 7}, 60))["account"] == 7


def test_an_expired_token_is_refused():
    now = [100.0]
    signer = TokenSigner(b"secret", clock=lambda: now[0])
    token = signer.issue({"account": 7}, 60)
    now[0] = 161.0
    with pytest.raises(BadToken):
        signer.check(token)
