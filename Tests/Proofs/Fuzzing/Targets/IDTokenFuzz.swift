import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// Checks claims with a valid signature, so that the checks after the signature are reached.
///
/// Accepted claims are checked again with Foundation's JSON parser.
enum IDTokenFuzz {
    static func check(_ input: [UInt8]) throws {
        guard input.count <= 20_000 else { return }
        var expected = Forge.expectations()
        // The first byte selects further expectations.
        let wishes = input.first ?? 0
        if wishes & 1 != 0 { expected.maximumAgeSeconds = 3600 }
        if wishes & 2 != 0 { expected.authenticationContexts = ["phr"] }
        if wishes & 4 != 0 { expected.acceptsNumericSubject = true }
        let payload = Array(input.dropFirst())
        let claims: IDTokenClaims
        do {
            claims = try IDTokenValidator.validate(
                JSONWebToken(parsing: Forge.token(payload)),
                keys: Forge.keys.get(),
                expecting: expected
            )
        } catch let error as IdentityError {
            return try require(
                error.kind == .rejected && error.reference != nil,
                "a refusal of the wrong kind or without a reference"
            )
        }
        guard let read = ReadClaims(payload) else { return }
        try read.judge()
        try require(read.isText("iss", claims.issuer), "the issuer differs")
        try require(read.isText("nonce", "nonce-1"), "the nonce differs")
        try require((1...255).contains(claims.subject.utf8.count), "the subject is too long")
        try require(read.isText("sub", claims.subject) || wishes & 4 != 0, "the subject differs")
        if wishes & 1 != 0 {
            try require(try read.time("auth_time") ?? 0 >= Forge.now.timeIntervalSince1970 - 3660, "an old login")
        }
        if wishes & 2 != 0 { try require(read.isText("acr", "phr"), "the acr differs") }
        if read.has("at_hash") {
            let digest = try Digest.sha256(Array("access-1".utf8))
            try require(read.isText("at_hash", Base64URL.encode(Array(digest.prefix(16)))), "the at_hash differs")
        }
    }
}
