import IdentityKit
import IdentityOIDC

/// Checks that an unusable client key (PEM or JWK) is a configuration error that shows nothing of the key.
enum ClientKeyFuzz {
    static func check(_ input: [UInt8]) throws {
        do {
            _ = try ClientKey(Secret(bytes: input))
            try require(input.count > 32, "a key from too few bytes")
        } catch let error as IdentityError {
            try require(
                error.kind == .configuration && error.code == .configurationInvalid,
                "not a configuration error"
            )
            let text = String(decoding: input, as: UTF8.self)
            try require(text.utf8.count < 16 || !"\(error)".contains(text), "the error shows the key")
        }
    }
}
