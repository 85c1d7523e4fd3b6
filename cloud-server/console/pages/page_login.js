import {post, setToken} from './api.js';
import {h} from './dom.js';

export const page = {
  title: 'Log in',
  route: 'login',
  render(context) {
    const password = h('input', {type: 'password', id: 'password', autocomplete: 'current-password', required: true});
    const button = h('button', {class: 'primary', id: 'login'}, 'Log in');
    const form = h('form', {class: 'card', onsubmit: (event) => {
      event.preventDefault();
      context.act(button, async () => {
        setToken((await post('/login', {password: password.value})).token);
        context.refresh();
      });
    }}, h('label', {}, 'Password (the one-time password that the server printed works once)', password), h('div', {}, button));
    context.show(h('h1', {}, 'Log in'), form);
    password.focus();
  },
};
