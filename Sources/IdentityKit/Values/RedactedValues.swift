internal import IdentityHTTP

/// The secrets of a request, which are removed from errors: the text of a response may repeat them.
///
/// Among them are tokens, cart ids and e-mail addresses.
package struct RedactedValues: Sendable {
    /// Longest first, so that a whole cart id is removed before the country code in it.
    private let values: [[UInt8]]

    /// The secrets of one request.
    ///
    /// - Parameters:
    ///   - variables: A GraphQL request's variables, of which every string counts.
    ///   - secrets: Secrets in other parts of the request; they are found unencoded, and as a form or a URL encodes them.
    package init(_ variables: JSONObject = [:], secrets: [Secret] = []) {
        var found: [[UInt8]] = []
        Self.collect(.object(variables), into: &found)
        for secret in secrets {
            var escaped: [UInt8] = []
            FormEncoding.appendEscaped(secret.reveal(), to: &escaped)
            found += [secret.revealBytes(), escaped]
        }
        // Short strings are enum values, which are not secret.
        values = found.filter { $0.count >= 6 }.sorted { $0.count > $1.count }
    }

    private static func collect(_ value: JSONValue, into found: inout [[UInt8]]) {
        switch value {
        case .string(let text):
            found.append(Array(text.utf8))
            // A message may contain only the secret part of a cart id.
            let parts = text.utf8.split { byte in "/?&=".utf8.contains(byte) }
            if parts.count > 1 { found += parts.filter { $0.count >= 12 }.map { Array($0) } }
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .object(let object): for member in object.members { collect(member.value, into: &found) }
        case .null, .bool, .number: break
        }
    }

    /// The first 500 characters of a text, with each value replaced by "…".
    package func hidden(in text: String) -> String {
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
        dropBeginning(from: &bytes)
        return String(String(decoding: bytes, as: UTF8.self).prefix(500))
    }

    /// Removes the beginning of a value at the end of a text that was cut.
    private func dropBeginning(from bytes: inout [UInt8]) {
        for value in values {
            let longest = min(value.count - 1, bytes.count)
            guard longest >= 6,
                let count = (6...longest).reversed().first(where: { bytes.suffix($0).elementsEqual(value.prefix($0)) })
            else { continue }
            bytes.replaceSubrange((bytes.count - count)..., with: "…".utf8)
        }
    }
}

extension RedactedValues: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same text.
    package var description: String { "<redacted>" }
    /// Always the same text.
    package var debugDescription: String { description }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IdentityError {
    /// The same error, whose `providerAnswer` contains none of the values.
    package func hiding(_ redacted: RedactedValues) -> IdentityError {
        guard let answer = providerAnswer else { return self }
        return recast(
            as: kind,
            answering: ProviderAnswer(
                error: answer.error.map(redacted.hidden),
                errorDescription: answer.errorDescription.map(redacted.hidden),
                errorURI: answer.errorURI.map(redacted.hidden),
                status: answer.status,
                traceID: answer.traceID.map(redacted.hidden)
            )
        )
    }
}
