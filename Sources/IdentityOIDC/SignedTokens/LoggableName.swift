internal import IdentityHTTP

/// Prepares a name from a token or a client key for an error message, for example an algorithm or an audience.
///
/// An attacker may have chosen the name. So a text that is longer than 128 bytes, or has characters that a name or URL does not need, is
/// shown as "…".
enum LoggableName {
    static func shown(_ name: String) -> String {
        let isName =
            (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { ASCII.unreserved.contains($0) || ":/".utf8.contains($0) }
        return isName ? name : "…"
    }

    static func shown(_ names: [String]) -> String {
        names.prefix(4).map { shown($0) }.joined(separator: ", ") + (names.count > 4 ? ", …" : "")
    }
}
