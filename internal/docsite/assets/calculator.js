// The calculator of the page about capacity: how many cores a load needs, by the measured figures of the page.

{
  /** @typedef {{ id: string, label: string, value: number, perCore: number, unit: string }} Load */

  /**
   * addField adds a labelled number to the form.
   * @param {HTMLElement} form
   * @param {Load} load
   */
  function addField(form, load) {
    const label = document.createElement('label');
    const input = document.createElement('input');
    input.type = 'number';
    input.min = '0';
    input.name = load.id;
    input.value = String(load.value);
    label.append(load.label, input);
    form.append(label);
    return input;
  }

  for (const box of document.querySelectorAll('.calculator')) {
    /** @type {{ reserve: number, loads: Load[] }} */
    const { reserve, loads } = JSON.parse(box.querySelector('script')?.textContent ?? '');
    const form = document.createElement('form');
    const fields = loads.map((load) => addField(form, load));
    const result = document.createElement('output');
    const show = () => {
      const cores = loads.reduce((sum, load, i) => sum + Math.max(0, Number(fields[i]?.value)) / load.perCore, 0);
      const needed = Math.max(1, Math.ceil(cores * reserve));
      result.textContent = `${cores.toFixed(2)} cores of load. Plan ${needed} ${needed === 1 ? 'core' : 'cores'}.`;
    };
    form.addEventListener('input', show);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.append(result);
    box.append(form);
    box.removeAttribute('hidden');
    show();
  }
}
