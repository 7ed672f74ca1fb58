import Dispatch
import FoundationEssentials
import Fuzzing
import Glibc

/// The target that the environment variable selects; all targets are in one program, so that one build is enough.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["IDENTITYKIT_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        print("IDENTITYKIT_FUZZ_TARGET must be one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
        exit(2)
    }
    return target
}()

/// The function that libFuzzer calls with every input; a finding aborts the program, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let isOver = DispatchSemaphore(value: 0)
    Task {
        do {
            try await target.check(input)
        } catch {
            print("FINDING in \(target.name): \(error)")
            // abort() does not flush buffered output.
            _ = fflush(nil)
            abort()
        }
        isOver.signal()
    }
    isOver.wait()
    return 0
}
