internal import IdentityHTTP

/// Shows names from a response, such as codes and fields, in messages.
///
/// Any other text becomes `…`, because it may repeat a token or a buyer's input.
package enum ForeignName {
    package static func shown(_ name: String) -> String {
        // Some names end with a digit, such as `address1`. More digits may be a part of a token.
        let word = name.utf8.last.map(ASCII.isDigit) == true ? name.utf8.dropLast() : name.utf8[...]
        let isWord = (1...64).contains(word.count) && word.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") }
        // A path can also contain positions in lists.
        let isNumber = name.utf8.count <= 4 && name.utf8.allSatisfy(ASCII.isDigit)
        return isWord || isNumber && !name.isEmpty ? name : "…"
    }

    package static func shown(_ path: [String]) -> String {
        path.prefix(16).map { shown($0) }.joined(separator: ".")
    }
}
