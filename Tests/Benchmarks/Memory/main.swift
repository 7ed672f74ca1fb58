internal import BenchmarkLogins
internal import IdentityKit

// Makes logins at the provider of the benchmarks, and prints the memory of the process in megabytes. It links the libraries of an app
// that signs buyers in, and not those of the suite.
//   identity-benchmarks-memory PORT LOGINS
let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let (port, count) = (arguments[0], arguments[1])
let store = InMemoryStore()
let login = try Login(port: port, store)
try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<16 {
        group.addTask {
            for _ in 0..<count / 16 { _ = try await store.remove(try await login.run()) }
        }
    }
    try await group.waitForAll()
}
print(ResidentMemory.megabytes)
