internal import Glibc

/// Writes one line to the parent process with a single write, because the process may be killed right after it.
enum Report {
    static func line(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = unsafe write(1, bytes, bytes.count)
    }
}
