import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// Bytes as a token: what is taken apart can be put together again, and none is ever accepted.
enum SignatureFuzz {
    static func check(_ input: [UInt8]) throws {
        let token = Secret(bytes: input)
        do {
            let compact = try CompactJWS(parsing: token)
            let parts = input.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            try require(parts.count == 3 && input.count <= 32_768, "no compact form")
            try require(Base64URL.encode(compact.payload).utf8.elementsEqual(parts[1]), "another payload")
            try require(Base64URL.encode(compact.signature).utf8.elementsEqual(parts[2]), "another signature")
        } catch let error as IdentityError {
            try require(error.code == .idTokenMalformed, "another code")
            let isAccepted = (try? JSONWebToken(parsing: token)) != nil
            try require(!isAccepted, "a JWT that is no JWS")
        }
        let isAccepted =
            (try? IDTokenValidator.validate(token, keys: Forge.keys.get(), expecting: Forge.expectations())) != nil
        try require(!isAccepted, "a token that nobody signed was accepted")
    }
}
