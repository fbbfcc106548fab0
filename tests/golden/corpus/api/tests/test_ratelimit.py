from api.middleware.ratelimit import TokenBucket


def test_an_empty_token_bucket_refuses():
    bucket = TokenBucket(1, 1.0, clock=lambda: 0.0)
    assert bucket.take()
    assert not bucket.take()


def test_a_token_bucket_refills_with_time():
    now = [0.0]
    bucket = TokenBucket(1, 0.5, clock=lambda: now[0])
    bucket.take()
    now[0] = 2.0
    assert bucket.take()
