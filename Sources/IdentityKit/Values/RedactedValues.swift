/// The secrets that a request carried: the other side's words may repeat them, and among them are tokens, cart ids and e-mail
/// addresses, which belong in no error.
package struct RedactedValues: Sendable {
    /// Longest first: a cart id goes as a whole, before the country code inside it does.
    private let values: [[UInt8]]

    /// What a request carried.
    ///
    /// - Parameters:
    ///   - variables: A GraphQL request's variables, of which every text counts.
    ///   - secrets: Secrets that were sent in another place; they are looked for as they are and as a form or a URL writes them.
    package init(_ variables: JSONObject = [:], secrets: [Secret] = []) {
        var found: [[UInt8]] = []
        Self.collect(.object(variables), into: &found)
        for secret in secrets {
            var escaped: [UInt8] = []
            FormEncoding.appendEscaped(secret.reveal(), to: &escaped)
            found += [secret.revealBytes(), escaped]
        }
        // Short texts are enum values, which nobody needs to hide.
        values = found.filter { $0.count >= 6 }.sorted { $0.count > $1.count }
    }

    private static func collect(_ value: JSONValue, into found: inout [[UInt8]]) {
        switch value {
        case .string(let text):
            found.append(Array(text.utf8))
            // A message may repeat the secret half of a cart id alone.
            let parts = text.utf8.split { byte in "/?&=".utf8.contains(byte) }
            if parts.count > 1 { found += parts.filter { $0.count >= 12 }.map { Array($0) } }
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .object(let object): for member in object.members { collect(member.value, into: &found) }
        case .null, .bool, .number: break
        }
    }

    /// A text of at most 500 characters without any of the values.
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

    /// A text that somebody has cut short may end in the first half of a value.
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
    /// Always the same words.
    package var description: String { "<what was sent>" }
    /// Always the same words.
    package var debugDescription: String { description }
    /// Shows no children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IdentityError {
    /// The same error, whose provider answer repeats none of what was sent.
    package func hiding(_ sent: RedactedValues) -> IdentityError {
        guard let answer = providerAnswer else { return self }
        return recast(
            as: kind,
            answering: ProviderAnswer(
                error: answer.error.map(sent.hidden),
                errorDescription: answer.errorDescription.map(sent.hidden),
                errorURI: answer.errorURI.map(sent.hidden),
                status: answer.status,
                traceID: answer.traceID.map(sent.hidden)
            )
        )
    }
}
