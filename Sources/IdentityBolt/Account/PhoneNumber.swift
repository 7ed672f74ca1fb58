/// Phone numbers as a cart takes them.
enum PhoneNumber {
    /// The number if it is E.164 as it stands: `+` and 8 to 15 digits, the first not zero.
    ///
    /// A cart refuses others as a whole, so a number that is none is better left out than repaired by guessing.
    static func e164(_ text: String) -> String? {
        let digits = text.utf8.dropFirst()
        let isNumber =
            text.utf8.first == UInt8(ascii: "+") && (8...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            && digits.first != UInt8(ascii: "0")
        return isNumber ? text : nil
    }
}
