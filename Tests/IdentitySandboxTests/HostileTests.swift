import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct HostileTests {
    /// The ID token of a login at the sandbox's Shopify with a fault.
    private func token(_ fault: SandboxFault) async throws -> String {
        let sandbox = try await ShopSandbox.start()
        sandbox.shopify.planFault(fault, on: .token)
        let token = try await ShopifyLogin(sandbox).tokens()["id_token"]?.string ?? ""
        await sandbox.stop()
        return token
    }

    private func text(_ index: Int, of token: String) throws -> String {
        let part = token.split(separator: ".", omittingEmptySubsequences: false)[index]
        return String(decoding: try #require(Base64URL.decode(String(part))), as: UTF8.self)
    }

    @Test("a public key has the standard DER form")
    func der() throws {
        // RFC 7515 appendices A.2 and A.3, RFC 8037 appendix A.1; digests made with OpenSSL.
        let modulus =
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMs"
            + "D1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdV"
            + "MTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
        let rsa = PublicNumbers.rsa(modulus: try #require(Base64URL.decode(modulus)), exponent: [1, 0, 1])
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        let edwards = try #require(Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        let digests = try [rsa, .ellipticCurve(.p256, x: x, y: y), .ed25519(x: edwards)].map { numbers in
            let digest = try Digest.sha256(SandboxPublicKey(numbers).der)
            return digest.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
        }
        #expect(digests == ["6f d1 3c 24 35 a3 61 e7", "2b d1 bb c 44 a8 97 c3", "6 e3 fd 8f da 29 bb 60"])
    }

    @Test("raw and duplicate members appear in the token as configured")
    func rawMembers() async throws {
        let raw = try text(1, of: try await token(.rawClaim("exp", "1e300").and(.rawClaim("iat", "01"))))
        #expect(raw.hasSuffix(#","exp":1e300,"iat":01}"#))
        #expect(raw.split(separator: "\"exp\"").count == 2)
        let twice = try await token(
            .duplicateClaim("sub", .string("b"), escaped: true).and(.duplicateTokenHeader("alg", .string("none")))
        )
        #expect(try text(1, of: twice).hasSuffix(#","\u0073\u0075\u0062":"b"}"#))
        #expect(try text(0, of: twice).hasSuffix(#","alg":"none"}"#))
        #expect(try text(1, of: try await token(.idToken { $0.rawClaims = [0xFF] })) == "\u{FFFD}")
        #expect(try await token(.idTokenText { _ in "no token" }) == "no token")
    }

    @Test("the key in the header verifies an attacker's signature")
    func headerKeys() async throws {
        let attacker = try SandboxKeyPair(.p256)
        let forged = try await token(.keyInHeader(.jwk, of: attacker))
        let key = try #require(TestClient.part(0, of: forged)["jwk"])
        let coordinates = try ["x", "y"].map { try #require(key[$0]?.string.flatMap { Base64URL.decode($0) }) }
        let parts = forged.split(separator: ".").map(String.init)
        let verification = try VerificationKey.ellipticCurve(.p256, x: coordinates[0], y: coordinates[1])
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(verification.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8), algorithm: .es256))
        let chain = try await token(.keyInHeader(.x5c, of: try SandboxKeyPair()))
        let certificate = TestClient.part(0, of: chain)["x5c"]?.array?.first?.string.flatMap { Base64.decode($0) }
        #expect(certificate?.starts(with: [0x30, 0x82]) == true)
    }

    @Test("the forged HMAC is the one that a client computes if it uses the public key as the HMAC key")
    func confusion() async throws {
        let sandbox = try await ShopSandbox.start()
        sandbox.shopify.planFault(.hmac(keyedWith: .numbers), on: .token)
        let forged = try await ShopifyLogin(sandbox).tokens()["id_token"]?.string ?? ""
        let keys = try await TestClient.shared.json(sandbox.shopify.endpoints.jwks)
        await sandbox.stop()
        let modulus = try #require(keys["keys"]?.array?.first?["n"]?.string.flatMap { Base64URL.decode($0) })
        let parts = forged.split(separator: ".").map(String.init)
        let input = Array("\(parts[0]).\(parts[1])".utf8)
        let code = try HMACSHA256.authenticationCode(for: input, key: SecretBytes(modulus))
        #expect(Base64URL.decode(parts[2]) == code)
    }

    @Test("the key set contains the configured keys")
    func keys() async throws {
        let sandbox = try await ShopSandbox.start()
        func keys(_ fault: SandboxFault) async throws -> [JSONValue] {
            sandbox.openID.planFault(fault, on: .jwks)
            return try await TestClient.shared.json(sandbox.openID.jwksEndpoint)["keys"]?.array ?? []
        }
        let other = try SandboxKeyPair(.rsa(bits: 1024))
        let good = try await keys(.keys { _ in })
        #expect(try await keys(.noKeys).isEmpty)
        #expect(try await keys(.otherKeys(other)).first?["kid"] == good.first?["kid"])
        #expect(try await keys(.otherKeys(other)).first?["n"] != good.first?["n"])
        #expect(try await keys(.duplicateKeyID(other)).map { $0["kid"] } == [good.first?["kid"], good.first?["kid"]])
        #expect(try await keys(.keysWithout("kid", "alg")).first?["kid"] == nil)
        #expect(try await keys(.symmetricKey([1])).first?["kty"]?.string == "oct")
        #expect(try await keys(.certificationKeys()).count == 9)
        #expect(try await keys(.keyMember("d", .string("AQ"))).first?["d"]?.string == "AQ")
        sandbox.openID.planFault(.keySetBytes([0xFF, 0xFE]), on: .jwks)
        #expect(try await TestClient.shared.send(.get, sandbox.openID.jwksEndpoint).body == [0xFF, 0xFE])
        await sandbox.stop()
    }

    @Test("a response can be too large or not HTTP, and an action can run before it")
    func wire() async throws {
        let sandbox = try await ShopSandbox.start()
        let url = sandbox.openID.jwksEndpoint
        sandbox.openID.planFault(.rawBytes(Array("SSH-2.0-sandbox\r\n".utf8)), on: .jwks)
        await #expect(throws: HTTPTransportError.self) { _ = try await TestClient.shared.send(.get, url) }
        sandbox.openID.planFault(.headerBomb(), on: .jwks)
        await #expect(throws: HTTPTransportError.self) { _ = try await TestClient.shared.send(.get, url) }
        sandbox.openID.planFault(.largeBody(300_000), on: .jwks)
        #expect(try await TestClient.shared.send(.get, url).body.count == 300_000)
        let openID = sandbox.openID
        openID.planFault(.before { openID.rotateSigningKey() }, on: .jwks)
        #expect(try await TestClient.shared.json(url)["keys"]?.array?.count == 2)
        await sandbox.stop()
    }

    @Test("a gzip bomb is valid gzip and small")
    func bomb() throws {
        let bomb = GzipBomb.bytes(zeros: 1 << 20)
        #expect(bomb.count < 8 << 10)
        // The digest of a file that gzip(1) accepts.
        let digest = try Digest.sha256(bomb).prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
        #expect(digest == "f5 c9 7 a7 f9 93 54 cf")
    }

    @Test("a listener returns configured responses and saves the requests")
    func listener() async throws {
        let listener = try await SandboxListener.start()
        #expect(try await TestClient.shared.send(.get, listener.origin + "/keys").status == 404)
        listener.answer("/keys", with: .json(["keys": .array([])]))
        #expect(try await TestClient.shared.json(listener.origin + "/keys?a=1")["keys"]?.array?.isEmpty == true)
        #expect(listener.requests.map(\.path) == ["/keys", "/keys"])
        #expect(listener.requests.last?.queryValue("a") == "1")
        await listener.stop()
    }
}
