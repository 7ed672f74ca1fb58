internal import IdentityCrypto

extension SessionID {
    /// The CSRF token of the session; each form of the app contains it, so that no other site can post the form.
    package var csrfToken: Secret { Secret(Base64URL.encode(Self.hash("csrf", self))) }
}
