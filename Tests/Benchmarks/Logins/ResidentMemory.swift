internal import FoundationEssentials

package enum ResidentMemory {
    /// The resident memory of this process in megabytes, including pages of shared libraries.
    package static var megabytes: Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * 4096 / 1e6
    }
}
