extension JSONValue {
    /// The value as compact JSON text in UTF-8; members keep their order, and members with the value null are written.
    public var serialized: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(512)
        append(to: &output)
        return output
    }

    package func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let number): output.append(contentsOf: number.text.utf8)
        case .string(let text): Self.append(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.append(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.append(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.append(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let bytes = text.utf8.span
        var run = 0
        while true {
            let index = JSONText.firstSpecialByte(in: bytes, from: run, or: 0x7F)
            append(bytes.extracting(run..<index), to: &output)
            guard index < bytes.count else { break }
            let byte = bytes[index]
            run = index + 1
            output.append(UInt8(ascii: "\\"))
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                output.append(byte)
            } else {
                output.append(contentsOf: "u00".utf8)
                output.append(0x30 + (byte >> 4))
                output.append(byte & 15 < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15))
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
    }
}
