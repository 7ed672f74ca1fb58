import FoundationEssentials
import TestGuides
import Testing

@Suite("Errors in the sources")
struct ErrorConstructionTests {
    /// A place in the sources that constructs an `IdentityError`.
    private struct Construction {
        let path: String
        let line: Int
        /// The arguments, each on one line.
        let arguments: [String]

        func has(_ label: String) -> Bool { arguments.contains { $0.hasPrefix("\(label):") } }
    }

    /// The folders whose errors must refer to a specification or to a provider's page.
    private static let protocolFolders = [
        "IdentityOIDC", "IdentityShopify", "IdentityBolt", "ShopifyGraphQL", "ShopifyStorefront",
        "ShopifyCustomerAccount", "ShopifyLegacyCustomers", "IdentityKit/Login", "IdentityKit/Logout",
        "IdentityKit/SessionManager",
    ]

    /// The errors of these folders that need no reference: a part of their message, and the reason.
    private static let withoutReference: [(text: String, reason: String)] = [
        ("The buyer may still be on the cart", "the adapter's lock of the stored cart"),
        ("the session's cart changed during each of them", "the adapter's lock of the stored cart"),
        ("The cart that is stored with the session could not be read", "the store's own format"),
        ("The session has no cart", "the adapter's state"),
        ("lines succeeded, then the addition failed", "the adapter adds a long list in several calls"),
        (".detachIncomplete, message", "the adapter compares what it asked for"),
        ("came from an untrusted source", "the adapter's rule about cart ids of the browser"),
        ("no cart and no error", "a response that Shopify does not describe"),
        ("identity for the cart could not be computed", "OpenSSL"),
        ("The provider of this session issues no Shopify customer token", "the app chose another provider"),
        ("the cache policy allows no request", "the cache policy of the caller"),
        ("cannot be polled", "the document's own setting"),
        ("Polling with", "the caller's time limit"),
        ("its response is missing or cannot be used", "the network"),
        ("provider is not the LegacyPasswordProvider of this account", "the app passed another provider's session"),
        ("to a mutation contains no result and no error", "a response that Shopify does not describe"),
        ("the buyer signed out before it ended", "the app's own sign-out"),
        ("A stored logout could not be decoded", "the store's own format"),
    ]

    private static func constructions() throws -> [Construction] {
        let sources = Repository.root.appending(path: "Sources").path
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
        return try files.flatMap { file in
            let text = Array(try Data(contentsOf: URL(filePath: "\(sources)/\(file)")))
            // An extension of IdentityError also constructs errors with self.init.
            let marks = ["IdentityError("] + (file.contains("/IdentityError+") ? ["self.init("] : [])
            return marks.flatMap { mark in starts(of: Array(mark.utf8), in: text).map { construction(text, $0, file) } }
        }
    }

    /// Where the arguments begin, except in comments and in `throws(IdentityError)`.
    private static func starts(of mark: [UInt8], in text: [UInt8]) -> [Int] {
        text.indices.filter { index in
            guard text[index] == mark[0], text[index...].starts(with: mark) else { return false }
            let before = index == 0 ? 0x20 : text[index - 1]
            let isPartOfName = before == UInt8(ascii: ".") || (0x41...0x5A).contains(before & 0xDF)
            let line = text[..<index].reversed().prefix { $0 != 0x0A }.reversed().drop { $0 == 0x20 }
            return !isPartOfName && !line.starts(with: "//".utf8)
        }.map { $0 + mark.count }
    }

    /// Splits the arguments at the commas outside of parentheses and string literals.
    private static func construction(_ text: [UInt8], _ start: Int, _ path: String) -> Construction {
        var (arguments, current): ([String], [UInt8]) = ([], [])
        var depth = 1
        /// The depths of parentheses at which a string literal continues after an interpolation.
        var texts: [Int] = []
        var isInText = false
        var index = start
        while index < text.count {
            let byte = text[index]
            if isInText {
                if byte == UInt8(ascii: "\\") {
                    current.append(byte)
                    index += 1
                    if text[index] == UInt8(ascii: "(") {
                        texts.append(depth)
                        depth += 1
                        isInText = false
                    }
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInText = true
            } else if "([{".utf8.contains(byte) {
                depth += 1
            } else if ")]}".utf8.contains(byte) {
                depth -= 1
                if depth == 0 { break }
                if texts.last == depth {
                    texts.removeLast()
                    isInText = true
                }
            } else if byte == UInt8(ascii: ","), depth == 1 {
                arguments.append(Self.line(current))
                current = []
                index += 1
                continue
            }
            current.append(text[index])
            index += 1
        }
        let last = Self.line(current)
        let line = text[..<start].filter { $0 == 0x0A }.count + 1
        return Construction(path: path, line: line, arguments: arguments + (last.isEmpty ? [] : [last]))
    }

    private static func line(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("each IdentityError that the package constructs has a hint")
    func hints() throws {
        let all = try Self.constructions()
        #expect(all.count > 250)
        for found in all where !found.has("hint") {
            // The initializer with `asking` converts a transport's error, and chooses the hint itself.
            #expect(found.has("asking") || found.arguments.isEmpty, "\(found.path):\(found.line)")
        }
    }

    @Test("each error of protocol code refers to a specification, or is listed with the reason why it does not")
    func references() throws {
        let all = try Self.constructions().filter { found in
            Self.protocolFolders.contains { found.path.hasPrefix("\($0)/") } && !found.has("asking")
        }
        #expect(all.count > 100)
        var used: Set<String> = []
        for found in all where !found.has("reference") && !found.arguments.isEmpty {
            let text = found.arguments.joined(separator: ", ")
            let reason = Self.withoutReference.first { text.contains($0.text) }
            #expect(reason != nil, "\(found.path):\(found.line)")
            if let reason { used.insert(reason.text) }
        }
        for entry in Self.withoutReference { #expect(used.contains(entry.text), "no such error: \(entry.text)") }
    }
}
