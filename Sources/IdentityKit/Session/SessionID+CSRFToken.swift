internal import IdentityCrypto

extension SessionID {
    /// The CSRF token of a buyer's or guest's session, which another site does not know.
    ///
    /// The app puts it into its forms. The sign-in routes require it in requests without `Sec-Fetch-Site` and `Origin`.
    package var csrfToken: Secret { Secret(Base64URL.encode(Self.hash("csrf", self))) }
}
