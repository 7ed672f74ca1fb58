/// Converts a buyer's data to the forms that Shopify accepts.
///
/// An unusable phone number or country is left out, because one invalid field makes Shopify reject the whole mutation.
enum CartText {
    /// Returns the phone number if it has the form of E.164, a plus and 8 to 15 digits; otherwise nil.
    static func phone(_ text: String) -> String? {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (8...15).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return text
    }

    /// Returns a country code of two letters (ISO 3166-1 alpha-2) in capitals, as in Shopify's schema; nil for another text.
    static func country(_ text: String) -> String? {
        // "ß" also has two bytes, and its capitals are "SS". So each byte must be an ASCII letter.
        let isCode = text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
        return isCode ? text.uppercased() : nil
    }

    /// Returns the code of a region without the prefix of this country: `NY` for `US-NY`; a text without the prefix is returned unchanged.
    static func region(_ text: String, in country: String?) -> String {
        guard let country, text.utf8.starts(with: (country + "-").utf8) else { return text }
        return String(text.dropFirst(3))
    }
}
