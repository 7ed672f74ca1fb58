internal import IdentityHTTP
internal import Synchronization

/// The secrets of a request, such as tokens and cart ids, which ``hidden(in:)`` removes from the error text of a response.
package struct RequestSecrets: Sendable {
    private let variables: JSONObject
    private let secrets: [Secret]
    private let collected = Collected()

    /// The secrets to search for, as bytes; nil until the first search.
    private final class Collected: Sendable {
        let values = Mutex<[ArraySlice<UInt8>]?>(nil)
    }

    /// Every string of at least 6 bytes in the GraphQL `variables` counts as a secret; shorter strings may be enum values.
    ///
    /// `secrets` of at least 6 bytes are found unencoded, and in the encoding of forms and URLs.
    package init(_ variables: JSONObject = [:], secrets: [Secret] = []) {
        self.variables = variables
        self.secrets = secrets
    }

    /// The secrets, longest first, so that a whole cart id is replaced before a part of it.
    private var values: [ArraySlice<UInt8>] {
        collected.values.withLock { values in
            if let values { return values }
            var bytes: [UInt8] = []
            var found: [Range<Int>] = []
            for member in variables.members { Self.collect(member.value, &bytes, &found) }
            for secret in secrets {
                Self.collect(&bytes, &found) { $0 += secret.revealBytes() }
                Self.collect(&bytes, &found) { FormEncoding.appendEscaped(secret.reveal(), to: &$0) }
            }
            let sorted = found.sorted { $0.count > $1.count }.map { bytes[$0] }
            values = sorted
            return sorted
        }
    }

    private static func collect(_ value: JSONValue, _ bytes: inout [UInt8], _ found: inout [Range<Int>]) {
        switch value {
        case .string(let text):
            let start = bytes.count
            collect(&bytes, &found) { $0 += text.utf8 }
            // A provider's message may repeat only the secret part of a cart id, so long parts are hidden as well.
            let parts = bytes[start...].split { byte in
                byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "&")
                    || byte == UInt8(ascii: "=")
            }
            if parts.count > 1 { found += parts.lazy.filter { $0.count >= 12 }.map(\.indices) }
        case .array(let elements): for element in elements { collect(element, &bytes, &found) }
        case .object(let object): for member in object.members { collect(member.value, &bytes, &found) }
        case .null, .bool, .number: break
        }
    }

    private static func collect(
        _ bytes: inout [UInt8],
        _ found: inout [Range<Int>],
        _ append: (inout [UInt8]) -> Void
    ) {
        let start = bytes.count
        append(&bytes)
        if bytes.count - start >= 6 { found.append(start..<bytes.count) }
    }

    /// At most the first 500 characters of a text, in which each secret is replaced by "…".
    package func hidden(in text: String) -> String {
        var bytes = Array(text.utf8.prefix(4096))
        let values = values
        for value in values where value.count <= bytes.count {
            var start = bytes.startIndex
            while let hit = bytes[start...].firstIndex(of: value[value.startIndex]) {
                if bytes[hit...].starts(with: value) {
                    bytes.replaceSubrange(hit..<hit + value.count, with: "…".utf8)
                }
                start = hit + 1
            }
        }
        Self.dropBeginning(of: values, from: &bytes)
        return String(String(decoding: bytes, as: UTF8.self).prefix(500))
    }

    /// If the text ends with the first 6 or more bytes of a secret, replaces these bytes by "…": the text may have been cut there.
    private static func dropBeginning(of values: [ArraySlice<UInt8>], from bytes: inout [UInt8]) {
        for value in values {
            let longest = min(value.count - 1, bytes.count)
            guard longest >= 6,
                let count = (6...longest).reversed().first(where: { bytes.suffix($0).elementsEqual(value.prefix($0)) })
            else { continue }
            bytes.replaceSubrange((bytes.count - count)..., with: "…".utf8)
        }
    }
}

extension RequestSecrets: Redacted {
    package var description: String { "<redacted>" }
}

extension IdentityError {
    package func hiding(_ redacted: RequestSecrets) -> IdentityError {
        providerResponse.map { recast(as: kind, answering: $0.hiding(redacted)) } ?? self
    }
}

extension IdentityError.ProviderResponse {
    package func hiding(_ redacted: RequestSecrets) -> IdentityError.ProviderResponse {
        IdentityError.ProviderResponse(
            error: error.map(redacted.hidden),
            errorDescription: errorDescription.map(redacted.hidden),
            errorURI: errorURI.map(redacted.hidden),
            status: status,
            traceID: traceID.map(redacted.hidden)
        )
    }
}
