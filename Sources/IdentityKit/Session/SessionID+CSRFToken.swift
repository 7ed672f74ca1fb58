internal import IdentityCrypto

extension SessionID {
    /// The CSRF token for the app's forms.
    ///
    /// The sign-in routes require the token in requests without `Sec-Fetch-Site` and `Origin`.
    package var csrfToken: Secret { Secret(Base64URL.encode(Self.hash("csrf", self))) }
}
