internal import Glibc

/// The event log: its last lines, a checksum over all lines, and optionally a file.
final class History: @unchecked Sendable {
    private static let kept = 400
    private var lines: [String] = []
    private var oldest = 0
    /// FNV-1a over all bytes; equal for equal histories.
    private(set) var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    private let file: Int32

    init(path: String?) {
        file = path.map { unsafe open($0, O_WRONLY | O_CREAT | O_TRUNC, 0o644) } ?? -1
    }

    func note(_ line: String) {
        for byte in line.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        sum = (sum ^ 10) &* 0x100_0000_01B3
        if lines.count < Self.kept {
            lines.append(line)
        } else {
            lines[oldest] = line
            oldest = (oldest + 1) % Self.kept
        }
        guard file >= 0 else { return }
        let bytes = Array((line + "\n").utf8)
        _ = unsafe write(file, bytes, bytes.count)
    }

    func tail(_ count: Int) -> [String] {
        (Array(lines[oldest...]) + lines[..<oldest]).suffix(count)
    }
}
