internal import IdentityKit

extension JSONValue {
    /// An array of strings.
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
