public import IdentityKit

/// An entry of a response's `errors` (GraphQL specification section 7.1.2).
public struct GraphQLError: Error, Sendable, Equatable {
    /// A place in the document.
    public struct Location: Sendable, Equatable {
        /// The line, from 1.
        public let line: Int
        /// The column, from 1.
        public let column: Int
    }

    /// The code of an error (`extensions.code`).
    ///
    /// Shopify can add codes at any time.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text.
        public let rawValue: String

        /// Creates a code from its text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code as text.
        public var description: String { rawValue }

        /// The operation exceeded a rate limit.
        public static let throttled = Self(rawValue: "THROTTLED")
        /// A field was denied, for example because the token lacks a scope.
        public static let accessDenied = Self(rawValue: "ACCESS_DENIED")
        /// The query is too large for tokenless access.
        public static let maximumComplexityExceeded = Self(rawValue: "MAX_COMPLEXITY_EXCEEDED")
        /// The shop is not active, for example because it is frozen.
        public static let shopInactive = Self(rawValue: "SHOP_INACTIVE")
        /// Shopify had an internal error.
        public static let internalServerError = Self(rawValue: "INTERNAL_SERVER_ERROR")
    }

    /// Shopify's message, at most 500 characters.
    ///
    /// The client replaces tokens and string variables of the request by `…` if they have at least 6 bytes, because they may be secret.
    public let message: String
    /// The path of the field that failed, for example `["cart", "lines", "0"]`; empty if Shopify sent no path.
    public let path: [String]
    /// The code; nil if Shopify sent no code.
    public let code: Code?
    /// The places in the document to which the error refers.
    public let locations: [Location]
    /// The member `extensions`; empty if the member is missing, is not an object or exceeds 4,096 bytes.
    ///
    /// For example, its member `requiredAccess` names the missing scope. The client replaces secrets of the request as in ``message``.
    public let extensions: JSONObject

    package init(
        message: String,
        path: [String] = [],
        code: Code? = nil,
        locations: [Location] = [],
        extensions: JSONObject = [:]
    ) {
        self.message = message
        self.path = path
        self.code = code
        self.locations = locations
        self.extensions = extensions
    }

    package init(_ value: JSONValue, hiding secrets: RequestSecrets) {
        message = secrets.hidden(in: value["message"]?.string ?? value.string ?? "")
        path = (value["path"]?.array ?? []).prefix(64).map { secrets.hidden(in: $0.string ?? $0.number?.text ?? "") }
        code = value["extensions"]?["code"]?.string.map { Code(rawValue: String(secrets.hidden(in: $0).prefix(100))) }
        locations = (value["locations"]?.array ?? []).prefix(16).compactMap { place in
            guard let line = place["line"]?.number?.integer, let column = place["column"]?.number?.integer else {
                return nil
            }
            return Location(line: line, column: column)
        }
        let more = value["extensions"]
        let isShort = more.map { $0.serialized.count <= 4_096 } ?? false
        extensions = isShort ? more.flatMap { Self.hiding(secrets, in: $0).object } ?? [:] : [:]
    }

    private static func hiding(_ secrets: RequestSecrets, in value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(secrets.hidden(in: text))
        case .array(let elements): .array(elements.map { hiding(secrets, in: $0) })
        case .object(let object):
            .object(
                object.members.reduce(into: JSONObject()) { hidden, member in
                    hidden[secrets.hidden(in: member.name)] = hiding(secrets, in: member.value)
                }
            )
        case .null, .bool, .number: value
        }
    }

    /// Reads the member `errors` of a response; depending on the endpoint, Shopify sends an array, an object or a text.
    package static func entries(of value: JSONValue?, hiding secrets: RequestSecrets) -> [GraphQLError] {
        switch value {
        case nil, .null: []
        case .array(let entries): entries.prefix(100).map { GraphQLError($0, hiding: secrets) }
        case .object(let object) where object["message"] == nil:
            object.members.prefix(100).map { member in
                let text = member.value.string ?? String(decoding: member.value.serialized, as: UTF8.self)
                return GraphQLError(message: secrets.hidden(in: text), path: [secrets.hidden(in: member.name)])
            }
        case let other?: [GraphQLError(other, hiding: secrets)]
        }
    }
}

extension GraphQLError: Redacted {
    /// The code and the path, without the message.
    public var description: String {
        "\(code.map { ForeignName.shown($0.rawValue) } ?? "GraphQL error") at "
            + (path.isEmpty ? "the operation" : ForeignName.shown(path))
    }
}
