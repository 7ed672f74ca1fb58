internal import IdentityCrypto

extension SessionID {
    /// The CSRF token for the app's forms.
    ///
    /// The protection against forged requests needs the token if a request has neither `Sec-Fetch-Site` nor `Origin`.
    package var csrfToken: Secret { Secret(Base64URL.encode(Self.hash("csrf", self))) }
}
