public import FoundationEssentials
public import IdentityHTTP

/// The code and the page that a buyer needs to sign in on another device (RFC 8628 section 3.3).
public struct DeviceLoginPrompt: Sendable {
    /// The provider's name.
    public let provider: String
    /// The code to enter; ASCII without control characters, to be shown unchanged.
    public let userCode: String
    /// The page on which to enter the code.
    public let verificationURI: HTTPURL
    /// The page with the code filled in, for a link or a QR code; nil if the provider has no such page.
    ///
    /// Show ``userCode`` beside the link or QR code.
    public let verificationURIComplete: HTTPURL?
    /// When the code expires.
    public let expiresAt: Date

    /// Creates a prompt; for authors of providers.
    public init(
        provider: String,
        userCode: String,
        verificationURI: HTTPURL,
        verificationURIComplete: HTTPURL? = nil,
        expiresAt: Date
    ) {
        self.provider = provider
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresAt = expiresAt
    }
}

extension DeviceLoginPrompt: Redacted {
    /// The provider and its page, without the code, which must not be logged.
    public var description: String { "DeviceLoginPrompt(provider: \(provider), at: \(verificationURI))" }
}
