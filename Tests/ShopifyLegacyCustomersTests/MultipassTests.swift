import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyLegacyCustomers
import TestGuides
import Testing

/// Bytes 0, 1, 2 and so on, so that the initialization vector is known.
private struct CountingBytes: RandomSource {
    func bytes(_ count: Int) throws -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }
}

@Suite("Multipass")
struct MultipassTests {
    private static let secret = "0f7a6b2c9d8e4a1b5c3d2e1f00112233"
    private static let customer = MultipassCustomer(
        email: "ada@example.com",
        identifier: "buyer-1",
        firstName: "Ada",
        tags: ["vip", "early"],
        remoteIP: "203.0.113.7"
    )

    private func multipass(
        domain: String = "shop.example",
        secret: String = secret,
        random: any RandomSource = CountingBytes()
    ) throws -> Multipass {
        // 2026-11-22T10:00:00Z
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1_795_341_600))
        let environment = IdentityEnvironment(transport: try CurlTransport(), clock: clock, random: random)
        return try Multipass(shopDomain: domain, secret: Secret(secret), environment: environment)
    }

    private func refusal(_ customer: MultipassCustomer, to location: String? = nil) throws -> IdentityError.Code? {
        let multipass = try multipass()
        let error = #expect(throws: IdentityError.self) { try multipass.token(for: customer, returningTo: location) }
        return error?.code
    }

    /// A token that was computed without this package.
    ///
    /// The SHA-256 of the secret and the HMAC-SHA256 come from Python's hashlib and hmac, the ciphertext from
    /// `openssl enc -aes-128-cbc -K … -iv 000102…0f`, and base64.urlsafe_b64encode of vector, ciphertext and signature. The JSON was
    /// written by hand in the order of its members here.
    private static let known =
        "AAECAwQFBgcICQoLDA0ODxDNZhQLigLuJ2T-DOf0RQ5NCrh_W3ryrpA0Iz2xsqkot5NlYGbHS52nmUcDCihMjitq6fdiGZSxhtEY7MeZmnd9DJid"
        + "IW5yKSNZQPoCNBKgNgl3CYKbJKq5Jq2LDQp74ve-2ZHZI6iqCocPk2U3Tc_w1_YqHF3-7nHD-ZUiIQaIh2Dr9EbB_fLZGVtnbGBk63A-MhNaj-gp"
        + "2CoTXrZkjQUuYzSv7ImXq2iRa_gBwp21u4ixQWc_Ec52vm_w2jWi54O-d2owB8KkMrgpCxg84vzQVm7ViNvXnjocOPMmc-uPMrDm4vlkTYE0zeaC"
        + "xqlN0bo6XCiT0lvVJFwbb0IUsd4="

    @Test("a token equals one that OpenSSL's command and Python made, and the URL of the shop contains it", .row("E3"))
    func knownAnswer() throws {
        let location = "/collections/sale?page=2"
        let token = try multipass().token(for: Self.customer, returningTo: location)
        #expect(token.reveal() == Self.known)
        let url = try multipass(domain: "SHOP.example").loginURL(for: Self.customer, returningTo: location)
        #expect(url.reveal() == "https://shop.example/account/login/multipass/" + Self.known)
        let absolute = try multipass().token(for: Self.customer, returningTo: "https://shop.example" + location)
        #expect(absolute.isEqual(to: token))
    }

    @Test("two tokens for one customer differ, because each has its own initialization vector")
    func freshVectors() throws {
        let multipass = try multipass(random: SystemRandom())
        #expect(try !multipass.token(for: Self.customer).isEqual(to: multipass.token(for: Self.customer)))
    }

    @Test(
        "a page outside of the shop is refused",
        arguments: [
            "https://evil.example/", "https://shop.example.evil.example/", "//evil.example", "http://shop.example/",
            "https://shop.example:8443/", "https://shop.example@evil.example/", "javascript:alert(1)",
            "/\\evil.example",
            "/%2F/evil.example/..//x",
        ]
    )
    func returnPaths(location: String) throws {
        #expect(try refusal(Self.customer, to: location) == .returnPathRefused)
    }

    @Test("an invalid e-mail address, IP address or tag, and too much data, are refused")
    func bounds() throws {
        for email in ["", "ada", "@example.com", "ada@", "a@b@c", "ada @example.com", "ada@example.com\n"] {
            #expect(try refusal(MultipassCustomer(email: email)) == .invalidRequest, "\(email)")
        }
        #expect(try refusal(MultipassCustomer(email: String(repeating: "a", count: 251) + "@b.c")) == .invalidRequest)
        #expect(try refusal(MultipassCustomer(email: "a@b.c", remoteIP: "203.0.113.7, 10.0.0.1")) == .invalidRequest)
        // A comma would make two tags of one.
        for tag in ["news,wholesale", "", "a\n"] {
            #expect(try refusal(MultipassCustomer(email: "a@b.c", tags: ["vip", tag])) == .invalidRequest)
        }
        func tagged(_ count: Int) -> MultipassCustomer {
            MultipassCustomer(email: "a@b.c", tags: [String(repeating: "t", count: count)])
        }
        // The rest of the JSON has 69 bytes.
        #expect(try refusal(tagged(4_096 - 68)) == .invalidRequest)
        #expect(try multipass().token(for: tagged(4_096 - 69)).count > 5_000)
    }

    @Test("an invalid domain is a configuration error", arguments: ["", "a b", "s\n", "é"])
    func invalidDomain(domain: String) {
        let error = #expect(throws: IdentityError.self) { try multipass(domain: domain) }
        #expect(error?.code == .configurationInvalid && error?.hint != nil)
    }

    @Test(
        "an invalid secret is a configuration error that names its fault",
        arguments: [
            ("", "is empty"), ("a b", "visible ASCII"), ("s\n", "visible ASCII"), ("é", "visible ASCII"),
            (String(repeating: "s", count: 1_025), "is longer than 1,024 bytes"),
        ]
    )
    func invalidSecret(secret: String, fault: String) {
        let error = #expect(throws: IdentityError.self) { try multipass(secret: secret) }
        #expect(error?.code == .configurationInvalid && error?.hint != nil)
        #expect(error?.message.contains(fault) == true)
    }

    @Test("printing a Multipass, a token, a URL or a customer shows no secret and no personal data")
    func redaction() throws {
        let canary = SecretCanary()
        let secret = canary.plant("secret")
        let customer = MultipassCustomer(email: canary.plant("email") + "@example.com", firstName: canary.plant("name"))
        let multipass = try multipass(secret: secret)
        let values: [Any] = [
            multipass, customer, try multipass.token(for: customer), try multipass.loginURL(for: customer),
        ]
        for value in values { #expect(canary.findings(in: value).isEmpty) }
        #expect("\(multipass)" == "Multipass(https://shop.example)")
    }
}
