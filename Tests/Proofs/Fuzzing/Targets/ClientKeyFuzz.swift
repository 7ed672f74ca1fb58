import IdentityKit
import IdentityOIDC

/// A client's own key, as PEM or JWK: what cannot be used is the operator's error, and shows nothing of the key.
enum ClientKeyFuzz {
    static func check(_ input: [UInt8]) throws {
        do {
            _ = try ClientKey(Secret(bytes: input))
            try require(input.count > 32, "a key out of nothing")
        } catch let error as IdentityError {
            try require(error.kind == .configuration && error.code == .configurationInvalid, "not the operator's")
            let text = String(decoding: input, as: UTF8.self)
            try require(text.utf8.count < 16 || !"\(error)".contains(text), "an error that shows the key")
        }
    }
}
