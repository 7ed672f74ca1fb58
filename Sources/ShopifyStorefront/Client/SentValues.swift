internal import IdentityKit

/// The texts that a request carried in its variables: Shopify's messages may repeat them, and among them are tokens, cart
/// ids and e-mail addresses, which belong in no error.
struct SentValues: Sendable {
    private let values: [[UInt8]]

    init(_ variables: JSONObject = [:]) {
        var found: [[UInt8]] = []
        Self.collect(.object(variables), into: &found)
        // Longest first: a cart id goes as a whole, before the country code inside it does.
        values = found.sorted { $0.count > $1.count }
    }

    private static func collect(_ value: JSONValue, into found: inout [[UInt8]]) {
        switch value {
        case .string(let text):
            // Short texts are enum values, which nobody needs to hide.
            if text.utf8.count >= 6 { found.append(Array(text.utf8)) }
            // A message may repeat the secret half of a cart id alone.
            let parts = text.utf8.split { byte in "/?&=".utf8.contains(byte) }
            if parts.count > 1 { found += parts.filter { $0.count >= 12 }.map { Array($0) } }
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .object(let object): for member in object.members { collect(member.value, into: &found) }
        case .null, .bool, .number: break
        }
    }

    /// A text of at most 500 characters without any of the values.
    func hidden(in text: String) -> String {
        var bytes = Array(text.utf8.prefix(4096))
        for value in values {
            var start = bytes.startIndex
            while let hit = bytes[start...].firstIndex(of: value[0]) {
                if bytes[hit...].starts(with: value) {
                    bytes.replaceSubrange(hit..<hit + value.count, with: "…".utf8)
                }
                start = hit + 1
            }
        }
        return String(String(decoding: bytes, as: UTF8.self).prefix(500))
    }
}
