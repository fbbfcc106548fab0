"""Log in and log out."""

from api.security.passwords import verify_password
from api.security.tokens import issue_token


def log_in(request, connection):
    """Check the password and answer with a signed token in a cookie."""
    body = request.json()
    row = connection.execute("SELECT id, password FROM accounts WHERE email = %s", (body["email"],)).fetchone()
    if row is None or not verify_password(body["password"], row["password"]):
        return {"status": 401, "body": "wrong email or password"}
    token = issue_token({"account": row["id"]}, lifetime_s=3600)
    return {"status": 204, "headers": {"Set-Cookie": f"session={token}; HttpOnly; SameSite=Lax"}}


def log_out(request, connection):
    """Make the browser forget its token."""
    return {"status": 204, "headers": {"Set-Cookie": "session=; Max-Age=0"}}


def register(router):
    router.add("POST", "/sessions", log_in)
    router.add("DELETE", "/sessions", log_out)
