import Testing

@testable import identity_lab

@Suite struct RecorderTests {
    @Test("a recorder keeps the last 1,000 steps and counts all of them")
    func limit() {
        let recorder = Recorder { _ in "Service" }
        for number in 0..<1_500 {
            recorder.add(RecordedStep(from: .app, to: .store, title: "\(number)", started: .seconds(number)))
        }
        #expect(recorder.recorded.map(\.title) == (500..<1_500).map { "\($0)" })
        #expect(recorder.count == 1_500)
    }
}
