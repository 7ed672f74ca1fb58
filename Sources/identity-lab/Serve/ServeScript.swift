/// The script of the page: asks for changes of the columns, so that the diagrams grow while a sign-in runs.
enum ServeScript {
    static let text = """
        "use strict";
        async function follow(column) {
          const live = column.querySelector(".live");
          for (;;) {
            await new Promise(done => setTimeout(done, document.hidden ? 3000 : 700));
            try {
              const response = await fetch(`/columns/${column.id}?after=${column.dataset.revision}`);
              if (!response.ok) continue;
              const change = await response.json();
              if (change.html === undefined) continue;
              column.dataset.revision = change.revision;
              live.innerHTML = change.html;
            } catch {
              // The program has ended or restarts; ask again.
            }
          }
        }
        document.querySelectorAll(".column").forEach(follow);

        """
}
