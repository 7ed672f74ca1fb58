internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityHTTP
public import IdentityKit
internal import ShopifyStorefront

/// Legacy: makes Multipass tokens, with which a server signs its own customers in at a Shopify Plus shop that has Multipass.
///
/// ```swift
/// let multipass = try Multipass(shopDomain: "www.example.com", secret: secret, environment: environment)
/// let url = try multipass.loginURL(for: MultipassCustomer(email: verifiedEmail), returningTo: "/collections/sale")
/// redirect(to: url.reveal())
/// ```
///
/// Anyone who has the secret can sign in as any customer, and anyone who has a token can sign in as the token's customer. So the secret
/// and the tokens are of type `Secret`. A token works once, and for a short time only, so make it just before the redirect. Make tokens
/// only for a buyer whom your server has authenticated, and whose e-mail address your server has verified.
///
/// [Shopify's description](https://shopify.dev/docs/api/multipass) defines the format.
public struct Multipass: Sendable {
    /// The maximum size of a customer's JSON, because servers reject URLs that are too long.
    static let maximumBytes = 4096

    private let origin: String
    private let returnPaths: ReturnPathPolicy
    private let secret: Secret
    private let environment: IdentityEnvironment

    /// Creates a value that makes tokens for one shop.
    ///
    /// `shopDomain` is the shop's domain in the buyer's browser: a host name without scheme, port and path. `secret` is the Multipass
    /// secret from the shop's settings of legacy customer accounts.
    ///
    /// - Throws: `IdentityError` with code `IdentityError.Code.configurationInvalid` for an invalid domain, and for a secret that is
    ///   empty, longer than 1,024 bytes, or has characters other than visible ASCII.
    public init(shopDomain: String, secret: Secret, environment: IdentityEnvironment) throws(IdentityError) {
        guard let shop = try? StorefrontConfiguration(shopDomain: shopDomain, authentication: .tokenless) else {
            throw IdentityError(
                configuration: "The shopDomain of Multipass is not a host name.",
                hint: "Set shopDomain to a host name without scheme, port and path, for example www.example.com.",
                reference: Self.reference
            )
        }
        origin = shop.endpoint.origin
        returnPaths = try ReturnPathPolicy(origins: [origin])
        if let fault = Self.fault(of: secret.revealBytes()) {
            throw IdentityError(
                configuration: "The Multipass secret \(fault).",
                hint:
                    "Copy the Multipass secret from the settings of legacy customer accounts in the Shopify admin. Omit quotation marks "
                    + "and line breaks.",
                reference: Self.reference
            )
        }
        self.secret = secret
        self.environment = environment
    }

    private static func fault(of secret: [UInt8]) -> String? {
        if secret.isEmpty { return "is empty" }
        if secret.count > 1024 { return "is longer than 1,024 bytes" }
        return secret.allSatisfy(ASCII.isVisible) ? nil : "has characters other than visible ASCII"
    }

    /// Makes the URL that signs a customer in, for a redirect of the buyer's browser.
    ///
    /// `location` is the page after the sign-in: a path, or a URL of the shop. With nil the shop chooses a page.
    ///
    /// - Returns: The URL. It contains the token, so it is a credential until the token was used or has expired.
    /// - Throws: `IdentityError` in the same cases as ``token(for:returningTo:)``.
    public func loginURL(
        for customer: MultipassCustomer,
        returningTo location: String? = nil
    ) throws(IdentityError) -> Secret {
        let token = try token(for: customer, returningTo: location)
        return Secret("\(origin)/account/login/multipass/\(token.reveal())")
    }

    /// Makes a Multipass token, for ``LegacyPasswordProvider/signIn(multipassToken:in:)`` or a login URL that your code builds.
    ///
    /// `location` is the page after the sign-in: a path, or a URL of the shop. With nil the shop chooses a page.
    ///
    /// - Returns: The token: base64url of the initialization vector, the ciphertext and the signature.
    /// - Throws: `IdentityError` with code `IdentityError.Code.returnPathRefused` for a location that is malformed, too long or outside
    ///   of the shop; with code `IdentityError.Code.invalidRequest` for an invalid e-mail address, IP address or tag, and for a customer
    ///   whose JSON is too large; and if random bytes or the encryption fail.
    public func token(
        for customer: MultipassCustomer,
        returningTo location: String? = nil
    ) throws(IdentityError) -> Secret {
        try Self.check(customer)
        var returnTo: String?
        if let location {
            let checked = try returnPaths.location(for: location)
            returnTo = checked.utf8.first == UInt8(ascii: "/") ? origin + checked : checked
        }
        let json = JSONValue.object(customer.json(createdAt: environment.clock.now, returnTo: returnTo)).serialized
        guard json.count <= Self.maximumBytes else {
            throw Self.refused(
                "The data of the Multipass customer have more than \(Self.maximumBytes) bytes.",
                "Leave out addresses or tags, or pass a shorter location."
            )
        }
        do {
            let keys = try Digest.sha256(secret.bytes)
            let vector = try environment.random.exactly(AESCBC.blockCount)
            let sealed =
                vector
                + (try AESCBC.encrypt(json, key: SecretBytes(Array(keys.prefix(16))), initializationVector: vector))
            let signature = try HMACSHA256.authenticationCode(
                for: sealed,
                key: SecretBytes(Array(keys.suffix(16)))
            )
            // With the padding `=`, as in Shopify's example.
            return Secret(Base64URL.encodePadded(sealed + signature))
        } catch {
            throw IdentityError.wrapping(error)
        }
    }

    private static func check(_ customer: MultipassCustomer) throws(IdentityError) {
        let parts = customer.email.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), customer.email.utf8.count <= 254,
            customer.email.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else {
            throw refused("The email of the Multipass customer is not an e-mail address.", "Pass one e-mail address.")
        }
        // Shopify separates tags at commas. If an app passes a buyer's input as a tag, a comma in it would add a second tag.
        let areTags = customer.tags?.allSatisfy { tag in
            !tag.isEmpty && tag.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") }
        }
        guard areTags ?? true else {
            throw refused(
                "A tag of the Multipass customer is empty, or contains a comma or a control character.",
                "Pass each tag as a separate element of tags, without control characters, and omit empty tags."
            )
        }
        if let address = customer.remoteIP, !StorefrontContext.isAddress(address) {
            throw refused(
                "The remoteIP of the Multipass customer is not an IP address.",
                "Pass one IP address without a port, as the app's own proxy reports it."
            )
        }
    }

    private static let reference = "https://shopify.dev/docs/api/multipass"

    private static func refused(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(.rejected, .invalidRequest, message, hint: hint, reference: reference)
    }
}

extension Multipass: Redacted {
    /// The shop, without the secret.
    public var description: String { "Multipass(\(origin))" }
}
