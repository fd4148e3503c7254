"""Logins. Generated from openapi.json by generate.py: change that."""

from __future__ import annotations

from typing import Literal, Optional

from ..noun import Noun
from ..operation import Operation
from ..types import AccessToken, CurrentUser, Message

_get_current_user = Operation("GET", "/v2/current_user", "read")
_update_password = Operation("PUT", "/v2/current_user/password", "again")
_login = Operation("POST", "/v2/login", "once", body="urlencoded")
_login_with_api_key = Operation("POST", "/v2/login/api_key", "once")
_social = Operation("POST", "/v2/login/social", "once")
_logout = Operation("POST", "/v2/logout", "once")
_refresh_token = Operation("POST", "/v2/refresh_token", "once")


class Logins(Noun):
    """Access tokens for people: by password, provider, key or refresh cookie."""

    def get_current_user(self) -> CurrentUser:
        """The caller; for a key, its creator.

        With an API key: the user who created the key. `credential` says what the caller sent.
        Requires `signed-in`; contract 5.1.
        """
        return self._ask(_get_current_user)

    def update_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> Message:
        """Change one’s own password; other logins end.

        For logins by password or HTTP Basic only; a wrong current password is a validation error.
        Requires `person`; contract 5.1.
        """
        return self._ask(
            _update_password,
            body={"current_password": current_password, "new_password": new_password},
        )

    def login(
        self,
        *,
        username: str,
        password: str,
        grant_type: Optional[str] = None,
    ) -> AccessToken:
        """Log in with an e-mail and a password.

        Every failure is the same 401. The refresh cookie comes beside the token. Requires
        `public`; contract 5.1.
        """
        return self._ask(
            _login,
            body={"username": username, "password": password, "grant_type": grant_type},
        )

    def login_with_api_key(
        self,
        *,
        api_key: str,
    ) -> AccessToken:
        """Exchange an API key for an access token with its rights.

        The token has the rights of the key and comes without a cookie. Requires `public`;
        contract 5.1.
        """
        return self._ask(
            _login_with_api_key,
            body={"api_key": api_key},
        )

    def social(
        self,
        *,
        provider: Literal["google", "github", "okta", "azure-ad", "custom", "saml"],
        id_token: Optional[str] = None,
        access_token: Optional[str] = None,
    ) -> AccessToken:
        """Log in with the id_token of an identity provider.

        Each `id_token` works once. Every failure is the same 401; users are never created by a
        login alone. Requires `public`; contract 4.2.
        """
        return self._ask(
            _social,
            body={"id_token": id_token, "provider": provider, "access_token": access_token},
        )

    def logout(self) -> Message:
        """End the login of the refresh cookie or of the bearer token.

        Access tokens of that login end as well. A token of an API key is left as it is. Requires
        `cookie`; contract 5.1.
        """
        return self._ask(_logout)

    def refresh_token(self) -> AccessToken:
        """Renew the access token with the refresh cookie.

        Answers a new access token and the successor of the cookie. Using an old cookie again ends
        the login. Requires `cookie`; contract 4.3.
        """
        return self._ask(_refresh_token)
