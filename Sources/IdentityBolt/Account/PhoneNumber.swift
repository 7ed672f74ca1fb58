/// Phone numbers that a cart accepts.
enum PhoneNumber {
    /// The number if it is E.164: `+` and 8 to 15 digits, the first not zero; nil otherwise.
    ///
    /// Any other number is omitted, because Shopify rejects a whole buyer identity that contains an invalid number.
    static func e164(_ text: String) -> String? {
        let digits = text.utf8.dropFirst()
        let isNumber =
            text.utf8.first == UInt8(ascii: "+") && (8...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && digits.first != UInt8(ascii: "0")
        return isNumber ? text : nil
    }
}
