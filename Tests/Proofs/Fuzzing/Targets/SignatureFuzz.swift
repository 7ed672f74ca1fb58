import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// Checks that parsed tokens round-trip, and that no token without a valid signature is accepted.
enum SignatureFuzz {
    static func check(_ input: [UInt8]) throws {
        let token = Secret(bytes: input)
        do {
            let compact = try CompactJWS(parsing: token)
            let parts = input.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            try require(parts.count == 3 && input.count <= 32_768, "not a compact serialization")
            try require(Base64URL.encode(compact.payload).utf8.elementsEqual(parts[1]), "the payload differs")
            try require(Base64URL.encode(compact.signature).utf8.elementsEqual(parts[2]), "the signature differs")
        } catch let error as IdentityError {
            try require(error.code == .idTokenMalformed, "the error code differs")
            let isAccepted = (try? JSONWebToken(parsing: token)) != nil
            try require(!isAccepted, "a JWT that is not a JWS was accepted")
        }
        let isAccepted =
            (try? IDTokenValidator.validate(
                JSONWebToken(parsing: token),
                keys: Forge.keys.get(),
                expecting: Forge.expectations()
            )) != nil
        try require(!isAccepted, "an unsigned token was accepted")
    }
}
