extension TapeBuilder {
    mutating func readText(_ bytes: Span<UInt8>) throws(JSONError) -> TapeEntry {
        index += 1
        let start = index
        index = JSONText.firstSpecialByte(in: bytes, from: start)
        guard index < bytes.count else { throw failure("the text ends inside a string") }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            index += 1
            return TapeEntry(.text, length: index - 1 - start, place: start)
        case UInt8(ascii: "\\"): return try readEscapedText(from: start, bytes)
        default: throw failure("unescaped control character")
        }
    }

    private mutating func readEscapedText(from start: Int, _ bytes: Span<UInt8>) throws(JSONError) -> TapeEntry {
        let place = decoded.count
        var run = start
        while true {
            unsafe bytes.extracting(run..<index).withUnsafeBufferPointer { unsafe decoded.append(contentsOf: $0) }
            guard index < bytes.count else { throw failure("the text ends inside a string") }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return TapeEntry(.decodedText, length: decoded.count - place, place: place)
            case UInt8(ascii: "\\"):
                index += 1
                try JSONText.readEscape(in: bytes, at: &index, into: &decoded)
            default: throw failure("unescaped control character")
            }
            run = index
            index = JSONText.firstSpecialByte(in: bytes, from: run)
        }
    }

    mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONError) -> TapeEntry {
        let start = index
        try JSONText.skipNumber(in: bytes, at: &index)
        return TapeEntry(.number, length: index - start, place: start)
    }
}
